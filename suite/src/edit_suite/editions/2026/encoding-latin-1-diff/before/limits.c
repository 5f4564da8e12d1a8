// café, naïve, Ærø
int limit = 10;
// fin: déjà vu
