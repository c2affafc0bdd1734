using Weir.LightNode.Tests.Hosting;

namespace Weir.LightNode.Tests;

/// <summary>Every type that LightNode converts: plain, nullable and as a list, read by the invariant culture. LightNode reads by the server's.</summary>
public abstract class ScalarTests(LightNodeApplication application, Placement placement) : WireTests(application, placement)
{
    [Theory]
    [InlineData("Boolean", "true", "true")]
    [InlineData("Boolean", "TRUE", "true")]
    [InlineData("Byte", "255", "255")]
    [InlineData("SByte", "-128", "-128")]
    [InlineData("Int16", "-32768", "-32768")]
    [InlineData("UInt16", "65535", "65535")]
    [InlineData("Int32", "-2147483648", "-2147483648")]
    [InlineData("Int32", "%2B1", "1")]
    [InlineData("UInt32", "4294967295", "4294967295")]
    [InlineData("Int64", "-9223372036854775808", "-9223372036854775808")]
    [InlineData("UInt64", "18446744073709551615", "18446744073709551615")]
    [InlineData("Single", "1.5", "1.5")]
    [InlineData("Double", "1e3", "1000")]
    [InlineData("Decimal", "1.50", "1.50")]
    [InlineData("Char", "a", "\"a\"")]
    [InlineData("Char", "%E3%81%82", "\"あ\"")]
    [InlineData("DateTime", "2026-01-31T12:00:00Z", "\"2026-01-31T12:00:00Z\"")]
    [InlineData("DateTimeOffset", "2026-01-31T12:00:00%2B09:00", "\"2026-01-31T12:00:00+09:00\"")]
    [InlineData("TimeSpan", "1.02:03:04", "\"1.02:03:04\"")]
    [InlineData("String", "a", "\"a\"")]
    public async Task Every_type_binds_plain_nullable_and_in_a_list(string type, string text, string json)
    {
        await AnswersAsync($"/Scalars/{type}.json?x={text}", json);
        await AnswersAsync($"/Scalars/{type}OrNull.json?x={text}", json);
        await AnswersAsync($"/Scalars/{type}OrNull.json", "null");
        if (type == "Byte")
        {
            return; // A list of bytes is bytes: LightNode has none, and Weir reads the raw body.
        }

        await AnswersAsync($"/Scalars/{type}s.json?x={text}&x={text}", $"[{json},{json}]");
        await AnswersAsync($"/Scalars/{type}s.json", "[]");
    }

    [Theory]
    [InlineData("Int32", "+1")] // A space after decoding. LightNode accepts it.
    [InlineData("Int32", "1+")]
    [InlineData("Int32", "1,000")]
    [InlineData("Int32", "1.0")]
    [InlineData("Int32", "0x10")]
    [InlineData("Int32", "99999999999")]
    [InlineData("Boolean", "1")]
    [InlineData("Boolean", "yes")]
    [InlineData("Byte", "256")]
    [InlineData("SByte", "-129")]
    [InlineData("UInt32", "-1")]
    [InlineData("Char", "ab")]
    [InlineData("Char", "")]
    [InlineData("Decimal", "1,000.5")] // LightNode accepts the groups of its culture.
    [InlineData("Double", "1,5")]
    [InlineData("DateTime", "31.01.2026")]
    [InlineData("TimeSpan", "soon")]
    public async Task Text_that_is_no_value_of_the_type_is_400(string type, string text)
    {
        Assert.Equal("x query invalid", (await GetAsync($"/Scalars/{type}?x={text}")).BindingErrors());
        Assert.Equal("x form invalid", (await PostAsync($"/Scalars/{type}OrNull", Form, $"x={text}")).BindingErrors());
    }

    private async Task AnswersAsync(string path, string body)
    {
        var answer = await GetAsync(path);
        Assert.Equal((200, body), (answer.Status, answer.Body));
    }
}

public sealed class InlineScalarTests(LightNodeApplication application) : ScalarTests(application, Placement.Inline);

public sealed class IsolatedScalarTests(LightNodeApplication application) : ScalarTests(application, Placement.Isolated);
