// shapes: groups of 4 x 2 x 3, as one axis
@group(0) @binding(0) var<storage, read> b_override: array<vec2<u32>>;  // read @1: u64
@group(0) @binding(1) var<storage, read> b_discard: array<u32>;  // uniform @4: u32
@group(0) @binding(2) var<storage, read_write> b_storage: array<atomic<u32>>;  // read_write @6: bf16
@group(0) @binding(3) var<storage, read> b_unused: array<u32>;  // read @9: u32
@group(0) @binding(4) var<storage, read_write> b_atomic: array<atomic<u32>>;  // read_write @7: u32
@group(0) @binding(5) var<uniform> counts: array<vec4<u32>, 2>;  // elements of each
var<workgroup> b_private: array<u32, 80>;  // 40 of vec2u32

@compute @workgroup_size(24)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) groups: vec3<u32>) {
  let n0 = 0u;
  let n1 = 1u;
  let n2 = 2u;
  let n3 = 3u;
  let n4 = 4u;
  let n8 = 8u;
  let n9 = 9u;
  let n40 = 40u;
  let n100 = 100u;
  let n65535 = 65535u;
  let len_override = counts[0].x;
  let len_discard = counts[0].y;
  let len_storage = counts[0].z;
  let len_unused = counts[0].w;
  let len_atomic = counts[1].x;
  _ = b_unused[0];
  let local_x = thread % n4;
  let group_x = groups.x;
  let invocation_x = (group_x * n4) + local_x;
  let local_y = (thread / n4) % n2;
  let local_z = thread / n8;
  let group_z = groups.z;
  var s0_switch: u32;
  var s1_atomic: u32;
  var s2_atomic: u32;
  let v2 = local_y * n4;
  let v3 = local_x + v2;
  let v5 = local_z * n8;
  let v6 = v3 + v5;
  let v8 = v6 < len_override;
  let v9 = select(n0, v6, v8);
  let v10 = b_override[v9].x;
  let v12 = select(n0, v10, v8);
  b_private[v6 * n2] = v12;
  b_private[(v6 * n2) + n1] = v6;
  storageBarrier(); workgroupBarrier();
  s0_switch = n0;
  let v15 = n0 < len_discard;
  let v16 = select(n0, n0, v15);
  let v17 = b_discard[v16];
  let v18 = select(n0, v17, v15);
  for (var v19 = n0; v19 < v18; v19++) {
    let v20 = v19 == v6;
    if (v20) {
      let v21 = s0_switch;
      let v22 = v19 < n40;
      let v23 = select(n0, v19, v22);
      let v25 = b_private[(v23 * n2) + n1];
      let v27 = select(n0, v25, v22);
      let v28 = v21 + v27;
      s0_switch = v28;
    } else {
      let v29 = s0_switch;
      s2_atomic = n0;
      let v31 = v19 < len_atomic;
      if (v31) {
        var v32: u32;
        loop {
          let turn = atomicCompareExchangeWeak(&b_atomic[v19], v29, v6);
          v32 = turn.old_value;
          if (turn.exchanged || (v32 != v29)) { break; }
        }
        s2_atomic = v32;
      }
      let v33 = s2_atomic;
      s0_switch = v33;
    }
  }
  let v35 = s0_switch;
  let v36 = v35 & n65535;
  let v38 = invocation_x < len_storage;
  if (v38) {
    let v39 = invocation_x >> n1;
    let v40 = invocation_x & n1;
    let v41 = v40 << n4;
    let v42 = n65535 << v41;
    let v43 = ~v42;
    atomicAnd(&b_storage[v39], v43);
    let v45 = v36 << v41;
    atomicOr(&b_storage[v39], v45);
  }
  let v48 = s0_switch;
  s1_atomic = n0;
  let v50 = group_z < len_atomic;
  if (v50) {
    let v51 = atomicMax(&b_atomic[group_z], v48);
    s1_atomic = v51;
  }
  let v52 = s1_atomic;
  let v53 = v6 < n3;
  if (v53) {
    let v54 = v6;
    if (v54 < n9) {
      let v55 = v54 + n100;
      let v57 = v55 < len_atomic;
      if (v57) {
        atomicStore(&b_atomic[v55], v52);
      }
      return;
    }
  }
  let v58 = s0_switch;
  if (v58 != n0) {
    return;
  } else {
    let v61 = len_unused < len_atomic;
    if (v61) {
      atomicStore(&b_atomic[len_unused], v6);
    }
    return;
  }
}
