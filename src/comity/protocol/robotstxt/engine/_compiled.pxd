# Cython adds these declarations to `_compiled.py`.

cdef extern from *:
    """
    #include <structmember.h>
    static void comity_set_slot(PyObject *value, PyObject *slot, PyObject *content) {
        *(PyObject **)((char *)value + ((PyMemberDescrObject *)slot)->d_member->offset) = Py_NewRef(content);
    }
    #if defined(Py_GIL_DISABLED) && PY_VERSION_HEX >= 0x030E0000
    #define comity_defer_counting(object) PyUnstable_Object_EnableDeferredRefcount(object)
    #else
    #define comity_defer_counting(object) 0
    #endif
    """
    # Let threads use an object without counting references to it; the garbage collector frees it.
    int defer_counting "comity_defer_counting"(object) noexcept
    # Set an empty slot of a new object, through the slot's descriptor.
    void set_slot "comity_set_slot"(object value, object slot, object content) noexcept
    # Hide an object from the garbage collector, which it must not need.
    void untrack "PyObject_GC_UnTrack"(object value) noexcept
