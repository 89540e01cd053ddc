// The public face of Deleatur for applications: every export is named here.
export {};
