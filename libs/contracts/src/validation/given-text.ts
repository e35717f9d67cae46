/** For what is said of a text: whatever else was given may be too deep, or refuse, to be made one. */
export const givenText = (value: unknown): string => (typeof value === 'string' ? value : '');
