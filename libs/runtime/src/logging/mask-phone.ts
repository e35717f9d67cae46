/** Enough of a number to recognise one's own, not enough to call it: `+234*******567`. */
export function maskPhone(phone: string): string {
  const text = phone.trim();
  const shown = text.startsWith('+') ? 4 : 3;
  if (text.length < shown + 3 + 4) return '*'.repeat(text.length);
  return text.slice(0, shown) + '*'.repeat(text.length - shown - 3) + text.slice(-3);
}
