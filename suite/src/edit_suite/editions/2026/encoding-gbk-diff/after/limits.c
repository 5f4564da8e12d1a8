// ÖĞÎÄ
int limit = 20;
// ½áÊø
