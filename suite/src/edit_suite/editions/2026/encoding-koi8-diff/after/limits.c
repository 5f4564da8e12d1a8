// тест
int limit = 20;
// ещё
