export interface User {
  id: number;
  name: string;
  email?: string;
}

const ADMIN = "admin";
const GUEST = "guest";

export function greet(user: User): string {
  if (!user.name) {
    return "Hello, stranger";
  }
  return `Hello, ${user.name}`;
}

export function role(user: User): string {
  if (user.id === 0) {
    return ADMIN;
  }
  return GUEST;
}

export function domain(user: User): string | undefined {
  const at = user.email?.indexOf("@") ?? -1;
  return at < 0 ? undefined : user.email?.slice(at + 1);
}
