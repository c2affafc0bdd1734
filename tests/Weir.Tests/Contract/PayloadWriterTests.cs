using System.Buffers;
using System.Runtime.InteropServices;
using Weir.Runtime;

namespace Weir.Tests.Contract;

public sealed class PayloadWriterTests
{
    [Fact]
    public void Objects_and_arrays_lose_the_comma_behind_their_last_element()
    {
        using var writer = new PayloadWriter();
        writer.Begin("{\"a\":"u8);
        writer.Begin("["u8);
        writer.EndArray();
        writer.Write(",\"b\":"u8);
        writer.Begin("["u8);
        writer.Write("1,2,"u8);
        writer.EndArray();
        writer.Write(","u8);
        writer.EndObject();

        Assert.Equal("{\"a\":[],\"b\":[1,2]}"u8, writer.WrittenSpan);
    }

    [Fact]
    public void Sixty_four_levels_are_written_and_no_more_until_it_is_cleared()
    {
        using var writer = new PayloadWriter();
        for (var time = 0; time < 2; time++)
        {
            for (var level = 0; level < PayloadWriter.MaxJsonDepth; level++)
            {
                writer.Begin("["u8);
            }

            var error = Assert.Throws<InvalidOperationException>(() => writer.Begin("["u8));
            Assert.Contains("more than 64 levels", error.Message, StringComparison.Ordinal);
            if (time == 0)
            {
                writer.Clear();
            }
            else
            {
                writer.Truncate(0);
            }
        }

        writer.Begin("["u8);
        writer.EndArray();
        Assert.Equal("[]"u8, writer.WrittenSpan);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void A_length_that_no_array_can_hold_is_reported(int before)
    {
        using var writer = new PayloadWriter();
        writer.Write(new byte[before]);
        var error = Assert.Throws<PayloadTooLargeException>(() => writer.GetSpan(int.MaxValue));
        Assert.Contains("2147483591", error.Message, StringComparison.Ordinal);
        Assert.Equal(before, writer.Length);
    }

    [Theory]
    [InlineData(1 << 20, true)]
    [InlineData((1 << 20) + 1, false)]
    public void Only_a_buffer_of_up_to_a_megabyte_goes_back_to_the_shared_pool(int length, bool isPooled)
    {
        var writer = new PayloadWriter();
        writer.Write(new byte[length]);
        Assert.True(MemoryMarshal.TryGetArray(writer.WrittenMemory, out var buffer));
        writer.Dispose();
        var rented = ArrayPool<byte>.Shared.Rent(length);
        Assert.Equal(isPooled, ReferenceEquals(buffer.Array, rented));
        ArrayPool<byte>.Shared.Return(rented);
    }

    [Fact]
    public void A_large_buffer_grows_in_bounded_steps()
    {
        const int Megabyte = 1 << 20;
        using var writer = new PayloadWriter();
        writer.GetSpan(100 * Megabyte);
        writer.Advance(100 * Megabyte);
        writer.Write([1]);
        Assert.InRange(writer.Capacity, (100 * Megabyte) + 1, 164 * Megabyte);
    }
}
