const sizes = /(?<![\d.])\d{1,6}(?:\.\d{1,3})?\s?[KMGT]B\b/gi;
const validities = /\b\d{1,4}[\s-]?(?:hours?|hrs?|days?|weeks?|months?|years?)\b/gi;

/**
 * The volume and the validity in the name of a bundle, as they are written there: `1.5GB` and `30 days` in
 * `N1000 1.5GB - 30 days`. Absent if the name has none, or several.
 */
export function readBundleText(name: string): { readonly size?: string; readonly validity?: string } {
  const [size, validity] = [onlyMatch(name, sizes), onlyMatch(name, validities)];
  return { ...(size !== undefined && { size }), ...(validity !== undefined && { validity }) };
}

function onlyMatch(text: string, pattern: RegExp): string | undefined {
  const found = text.match(pattern) ?? [];
  return found.length === 1 ? found[0] : undefined;
}
