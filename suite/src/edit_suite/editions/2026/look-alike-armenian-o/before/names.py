start = 0
rօot = 3
end = 9
