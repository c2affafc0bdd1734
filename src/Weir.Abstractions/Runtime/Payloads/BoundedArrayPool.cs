using System.Buffers;
using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// The shared array pool for arrays of up to 1 MB. Larger ones are plain arrays: the shared pool keeps what is returned per thread and
/// processor until a full collection, which an idle process does not run. May be used concurrently.
/// </summary>
/// <remarks>No generic methods: the runtime would compile them for each type of element, before a worker is ready.</remarks>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class BoundedArrayPool
{
    /// <summary>The largest array that is pooled, in bytes: 1,048,576.</summary>
    public const int LargestPooled = 1024 * 1024;

    private const int MostCharacters = LargestPooled / sizeof(char);

    /// <summary>An array of at least this length; its content is undefined.</summary>
    /// <param name="length">Bytes.</param>
    public static byte[] Rent(int length) => length <= LargestPooled ? ArrayPool<byte>.Shared.Rent(length) : GC.AllocateUninitializedArray<byte>(length);

    /// <summary>An array of at least this length; its content is undefined.</summary>
    /// <param name="length">Characters.</param>
    public static char[] RentChars(int length) => length <= MostCharacters ? ArrayPool<char>.Shared.Rent(length) : GC.AllocateUninitializedArray<char>(length);

    /// <summary>Returns an array of <see cref="Rent"/>.</summary>
    /// <param name="array">Not to be used afterwards.</param>
    public static void Return(byte[] array)
    {
        ArgumentNullException.ThrowIfNull(array);
        if (array.Length <= LargestPooled)
        {
            ArrayPool<byte>.Shared.Return(array);
        }
    }

    /// <summary>Returns an array of <see cref="RentChars"/>.</summary>
    /// <param name="array">Not to be used afterwards.</param>
    public static void Return(char[] array)
    {
        ArgumentNullException.ThrowIfNull(array);
        if (array.Length <= MostCharacters)
        {
            ArrayPool<char>.Shared.Return(array);
        }
    }
}
