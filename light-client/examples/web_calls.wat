;; A runtime for tests: it reads entries, walks from one to the next, traps, and does not end.
(module
  (import "env" "ext_storage_get_version_1" (func $get (param i64) (result i64)))
  (import "env" "ext_storage_next_key_version_1" (func $next (param i64) (result i64)))
  (import "env" "ext_allocator_malloc_version_1" (func $malloc (param i32) (result i32)))
  (memory (export "memory") 17)
  (global (export "__heap_base") i32 (i32.const 65536))
  (data (i32.const 1024) "{version}")
  (data (i32.const 16384) "{metadata}")
  (data (i32.const 8192) "fee")
  (data (i32.const 8200) "fee details")
  (data (i32.const 8216) "validity")

  (func $bytes (param $at i32) (param $length i32) (result i64)
    (i64.or
      (i64.extend_i32_u (local.get $at))
      (i64.shl (i64.extend_i32_u (local.get $length)) (i64.const 32))))

  ;; The value in an `Option` in SCALE, shorter than 64 bytes: two bytes are in front of it.
  (func $value (param $option i64) (result i64)
    (i64.sub (i64.add (local.get $option) (i64.const 2)) (i64.const 0x200000000)))

  (func (export "Core_version") (param i32 i32) (result i64)
    (call $bytes (i32.const 1024) (i32.const {version_length})))
  (func (export "Metadata_metadata") (param i32 i32) (result i64)
    (call $bytes (i32.const 16384) (i32.const {metadata_length})))
  (func (export "TransactionPaymentApi_query_info") (param i32 i32) (result i64)
    (call $value (call $get (call $bytes (i32.const 8192) (i32.const 3)))))
  (func (export "TransactionPaymentApi_query_fee_details") (param i32 i32) (result i64)
    (call $value (call $get (call $bytes (i32.const 8200) (i32.const 11)))))

  (func (export "TaggedTransactionQueue_validate_transaction") (param i32 i32) (result i64)
    (call $value (call $get (call $bytes (i32.const 8216) (i32.const 8)))))

  ;; The entry under a key, and the key after one.
  (func (export "Test_read") (param i32 i32) (result i64)
    (call $get (call $bytes (local.get 0) (local.get 1))))
  (func (export "Test_next") (param i32 i32) (result i64)
    (call $next (call $bytes (local.get 0) (local.get 1))))

  ;; The key at the end of a path: each entry names the next one.
  (func (export "Test_walk") (param i32 i32) (result i64)
    (local $key i64)
    (local $found i64)
    (local.set $key (call $bytes (local.get 0) (local.get 1)))
    (loop $on
      (local.set $found (call $get (local.get $key)))
      (if (i32.eqz (i32.load8_u (i32.wrap_i64 (local.get $found)))) (then (return (local.get $key))))
      (local.set $key (call $value (local.get $found)))
      (br $on))
    unreachable)

  (func (export "Test_trap") (param i32 i32) (result i64)
    unreachable)
  (func (export "Test_endless") (param i32 i32) (result i64)
    (loop $on (br $on))
    unreachable)
  ;; Takes memory until there is none.
  (func (export "Test_grow") (param i32 i32) (result i64)
    (loop $on
      (drop (call $malloc (i32.const 1048576)))
      (br $on))
    unreachable))
