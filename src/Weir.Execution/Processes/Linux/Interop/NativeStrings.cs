using System.Runtime.InteropServices;
using System.Text;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Zero-terminated UTF-8 strings for C, freed together.</summary>
internal sealed unsafe class NativeStrings : IDisposable
{
    private readonly List<nint> _blocks = [];

    public byte* Add(string text)
    {
        var length = Encoding.UTF8.GetByteCount(text);
        var block = (byte*)Allocate((nuint)length + 1);
        Encoding.UTF8.GetBytes(text, new Span<byte>(block, length));
        block[length] = 0;
        return block;
    }

    /// <summary>An array of pointers that ends with a null.</summary>
    public byte** AddArray(IReadOnlyList<string> texts)
    {
        var array = (byte**)Allocate((nuint)(texts.Count + 1) * (nuint)sizeof(byte*));
        for (var i = 0; i < texts.Count; i++)
        {
            array[i] = Add(texts[i]);
        }

        array[texts.Count] = null;
        return array;
    }

    public void Dispose()
    {
        foreach (var block in _blocks)
        {
            NativeMemory.Free((void*)block);
        }
    }

    private void* Allocate(nuint length)
    {
        var block = NativeMemory.Alloc(length);
        _blocks.Add((nint)block);
        return block;
    }
}
