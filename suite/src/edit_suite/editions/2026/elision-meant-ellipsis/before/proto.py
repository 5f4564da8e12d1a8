class Reader:
    def read(self):
        pass
