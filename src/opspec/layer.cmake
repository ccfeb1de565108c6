# Local names of different files clash, so each file is a unit of its own.
set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
