using System.Buffers;
using System.ComponentModel;
using System.Runtime.CompilerServices;

namespace Weir.Runtime;

/// <summary>
/// The shared array pool for arrays of up to 1 MB. Larger ones are plain arrays: the shared pool keeps what is returned per thread and
/// processor until a full collection, which an idle process does not run. May be used concurrently.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class BoundedArrayPool
{
    /// <summary>The largest array that is pooled, in bytes: 1,048,576.</summary>
    public const int LargestPooled = 1024 * 1024;

    /// <summary>An array of at least this length; its content is undefined.</summary>
    /// <typeparam name="T">The element.</typeparam>
    /// <param name="length">Elements.</param>
    public static T[] Rent<T>(int length)
        where T : unmanaged => IsPooled<T>(length) ? ArrayPool<T>.Shared.Rent(length) : GC.AllocateUninitializedArray<T>(length);

    /// <summary>Returns an array of <see cref="Rent"/>.</summary>
    /// <typeparam name="T">The element.</typeparam>
    /// <param name="array">Not to be used afterwards.</param>
    public static void Return<T>(T[] array)
        where T : unmanaged
    {
        ArgumentNullException.ThrowIfNull(array);
        if (IsPooled<T>(array.Length))
        {
            ArrayPool<T>.Shared.Return(array);
        }
    }

    private static bool IsPooled<T>(int length)
        where T : unmanaged => (long)length * Unsafe.SizeOf<T>() <= LargestPooled;
}
