/**
 * The names of parameters that other programs add to addresses: jQuery adds `_`, and newsletters add `utm_source` and
 * others.
 */
export const STRAY = /^(_|utm_.*)$/s
