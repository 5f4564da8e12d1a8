// “ú–{Œê
int limit = 10;
// I‚í‚è
