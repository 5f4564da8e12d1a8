// “quoted” – dash €
int limit = 10;
// © 2026
