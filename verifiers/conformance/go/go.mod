module duet.example/conformance

go 1.19

require (
	github.com/consensys/gnark-crypto v0.13.0
	golang.org/x/crypto v0.17.0
)

require (
	github.com/bits-and-blooms/bitset v1.7.0 // indirect
	github.com/consensys/bavard v0.1.13 // indirect
	github.com/mmcloughlin/addchain v0.4.0 // indirect
	golang.org/x/sys v0.15.0 // indirect
	rsc.io/tmplfunc v0.0.3 // indirect
)
