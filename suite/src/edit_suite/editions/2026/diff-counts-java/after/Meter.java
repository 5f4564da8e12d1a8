package measure;

public class Meter {
    private static final int WINDOW = 90;
    private static final String UNIT = "ms";

    private long total;
    private int count;

    public void record(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative");
        }
        last = value;
        total += value;
        count++;
    }

    public double mean() {
        return count == 0 ? 0 : (double) total / count;
    }

    public boolean isFull() {
        return count >= WINDOW;
    }

    @Override
    public String toString() {
        return mean() + " " + UNIT;
    }
}
