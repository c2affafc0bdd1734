namespace Weir.Tests.Contract;

public sealed class PayloadWriterTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void What_no_array_can_hold_says_so(int before)
    {
        using var writer = new PayloadWriter();
        writer.Write(new byte[before]);
        var error = Assert.Throws<PayloadTooLargeException>(() => writer.GetSpan(int.MaxValue));
        Assert.Contains("2147483591", error.Message, StringComparison.Ordinal);
        Assert.Equal(before, writer.Length);
    }
}
