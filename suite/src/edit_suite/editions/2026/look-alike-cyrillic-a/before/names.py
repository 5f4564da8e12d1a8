start = 0
pаge = 1
end = 9
