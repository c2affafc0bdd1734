using Weir.Protocol.Page;
using Weir.Tests.Protocol;

namespace Weir.Tests.Fuzz;

/// <summary>What the words of a page mean for who reads a ring, by the protocol's page alone.</summary>
/// <param name="page">The page; nobody writes to it while it is asked.</param>
/// <param name="places">The ring.</param>
internal sealed class RingModel(PageMemory page, RingPlaces places)
{
    private ulong _taken;

    /// <summary>The bytes that are there to take; <c>null</c> where the words cannot be.</summary>
    /// <param name="most">The space there is.</param>
    /// <param name="isDead">Whether everything that was added is taken.</param>
    public byte[]? Take(int most, bool isDead = false)
    {
        var there = page.Field(isDead ? places.Committed : places.Sent) - _taken;
        if (there > PageLayout.RingSize)
        {
            return null;
        }

        var bytes = new byte[(int)Math.Min(there, (ulong)most)];
        var at = (int)((_taken - page.Field(places.Origin)) % PageLayout.RingSize);
        var ring = page.Bytes.Slice(places.Buffer, PageLayout.RingSize);
        var first = Math.Min(bytes.Length, PageLayout.RingSize - at);
        ring.Slice(at, first).CopyTo(bytes);
        ring[..(bytes.Length - first)].CopyTo(bytes.AsSpan(first));
        _taken += (ulong)bytes.Length;
        return bytes;
    }
}
