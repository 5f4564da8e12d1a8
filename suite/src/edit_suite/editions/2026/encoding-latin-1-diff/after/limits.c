// café, naïve, Ærø
int limit = 20;
// fin: déjà vu
