// ÖĞÎÄ
int limit = 10;
// ½áÊø
