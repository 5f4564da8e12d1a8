// “quoted” – dash €
int limit = 20;
// © 2026
