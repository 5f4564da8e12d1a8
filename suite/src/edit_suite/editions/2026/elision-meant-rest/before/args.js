function log(first) {
  send(first);
}
