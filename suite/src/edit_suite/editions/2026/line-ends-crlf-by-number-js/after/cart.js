const TAX = 0.21;
const FREE_SHIPPING = 50;

export class Cart {
  constructor() {
    this.items = [];
  }

  add(item, count = 1) {
    const known = this.items.find((each) => each.id === item.id);
    if (known) {
      known.count += count;
      return known;
    }
    this.items.push({ ...item, count });
    return item;
  }

  net() {
    let sum = 0;
    for (const item of this.items) {
      sum += item.price * item.count;
    }
    return sum;
  }

  gross() {
    return this.net() * (1 + TAX);
  }
}
