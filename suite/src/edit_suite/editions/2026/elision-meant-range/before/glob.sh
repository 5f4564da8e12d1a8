for n in 1 2 3; do
  run $n
done
