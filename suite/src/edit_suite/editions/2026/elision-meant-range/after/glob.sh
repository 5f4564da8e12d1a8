for n in {1..9}; do
  run $n
done
