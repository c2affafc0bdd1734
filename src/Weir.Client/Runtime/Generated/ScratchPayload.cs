namespace Weir.Runtime;

/// <summary>A buffer of each thread, into which generated code writes one value. One whose writing failed is not used again.</summary>
internal static class ScratchPayload
{
    // A larger buffer is not kept for the next value.
    private const int LargestKept = 64 * 1024;

    [ThreadStatic]
    private static PayloadWriter? _free;

    internal static PayloadWriter Rent()
    {
        var one = _free ?? new PayloadWriter();
        _free = null;
        return one;
    }

    internal static void Return(PayloadWriter one)
    {
        if (one.Capacity > LargestKept)
        {
            one.Dispose();
        }

        one.Clear();
        _free = one;
    }
}
