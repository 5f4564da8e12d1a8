export const merge = (a, b) => ({ ...a, ...b });
