/** The work that requests have caused in this process. Counts, because times depend on the machine. */
export const work = {
  /** Phone numbers that were read, in any notation. */
  phonesRead: 0,
  /** Texts that were parsed for them: one or two for a number, and one for each country at most. */
  phonesParsed: 0,
  /** Pairs of a misspelt and a known name. */
  namesCompared: 0,
  /** Routes that were compared with an unknown path. */
  routesVisited: 0,
};
