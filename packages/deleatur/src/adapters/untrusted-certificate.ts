// Tells the refusal of a server's certificate from a server that does not answer, by Node's codes. Pure.

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes, and the one for a name that does not fit. */
const REFUSALS =
  /^(?:UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|CERT_|CRL_|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|ERR_TLS_CERT_ALTNAME_INVALID$)/;

export function isUntrusted(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" && REFUSALS.test(cause.code);
}

/** Code, what, cure: as both adapters tell their troubles. */
export const UNTRUSTED = {
  code: "STORE_UNTRUSTED",
  what: "shows a certificate that its authority does not vouch for",
  cure: "give that authority (sslrootcert in the address, or NODE_EXTRA_CA_CERTS), or the name that the certificate bears",
} as const;
