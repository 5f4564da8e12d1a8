function log(first, ...rest) {
  send(first);
}
