// тест
int limit = 10;
// ещё
