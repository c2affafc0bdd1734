using System.Runtime.InteropServices;
using System.Text;

namespace Weir.Execution.Processes.Linux.Interop;

/// <summary>Zero-terminated UTF-8 strings for C, freed together.</summary>
internal sealed unsafe class NativeStrings : IDisposable
{
    private nint[] _blocks = new nint[4];
    private int _count;

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
        for (; _count > 0; _count--)
        {
            NativeMemory.Free((void*)_blocks[_count - 1]);
        }
    }

    private void* Allocate(nuint length)
    {
        var block = NativeMemory.Alloc(length);
        if (_count == _blocks.Length)
        {
            Array.Resize(ref _blocks, 2 * _count);
        }

        _blocks[_count++] = (nint)block;
        return block;
    }
}
