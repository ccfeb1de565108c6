#Each kernel has local functions of the same few names.
set_target_properties(vyre_tensor PROPERTIES UNITY_BUILD OFF)
