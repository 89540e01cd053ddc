// The public face of the offline verifier: every export is named here, and nothing in this package imports Node or Deleatur.
export {};
