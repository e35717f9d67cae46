/** A phone number as operators see it: `+234…567`. */
export const masked = (phone: string): string => `${phone.slice(0, 4)}…${phone.slice(-3)}`;
