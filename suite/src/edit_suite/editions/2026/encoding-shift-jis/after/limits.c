// “ú–{Œê
int limit = 20;
// I‚í‚è
