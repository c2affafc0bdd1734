using System.Collections;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A list whose every item is a new buffer when it is read: each call has a payload of its own, as in all contenders.</summary>
internal sealed class FreshBuffers(int bytes, int count) : IReadOnlyList<byte[]>
{
    public int Count => count;

    public byte[] this[int index] => new byte[bytes];

    public IEnumerator<byte[]> GetEnumerator() => Enumerable.Range(0, count).Select(index => this[index]).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
