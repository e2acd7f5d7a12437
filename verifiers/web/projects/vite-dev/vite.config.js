// The development server bundles dependencies anew, and does not take their workers and modules along.
export default { optimizeDeps: { exclude: ["duet-light-client"] } };
