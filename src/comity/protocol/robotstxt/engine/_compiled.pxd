# Cython adds these declarations to `_compiled.py`.

cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000
    #define comity_defer_counting(object) PyUnstable_Object_EnableDeferredRefcount(object)
    #else
    #define comity_defer_counting(object) 0
    #endif
    """
    # Let threads use an object without counting references to it; the garbage collector frees it.
    int defer_counting "comity_defer_counting"(object) noexcept
