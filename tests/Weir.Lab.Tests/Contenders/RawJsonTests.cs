using System.Text;
using System.Text.Json;
using Weir.Lab.Contenders.RawKestrel;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Tests.Contenders;

public sealed class RawJsonTests
{
    [Theory]
    [InlineData("weir")]
    [InlineData("two words")]
    [InlineData("\"quoted\" \\ and \u0001\n")]
    [InlineData("é 漢 😀")]
    [InlineData("")]
    public void A_string_reads_back_as_it_was(string text)
    {
        var bytes = new byte[RawJson.LengthOf(text)];
        Assert.Equal(text, JsonSerializer.Deserialize<string>(bytes.AsSpan(0, RawJson.String(bytes, text))));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2_000_000_001)]
    public void A_sample_is_what_the_frameworks_write(int index)
    {
        var bytes = new byte[256];
        var written = Encoding.UTF8.GetString(bytes, 0, RawJson.Sample(bytes, Sample.Make(index)));
        Assert.Equal(JsonSerializer.Serialize(Sample.Make(index), JsonSerializerOptions.Web), written);
    }

    [Theory]
    [InlineData("?name=weir&x=1", "weir")]
    [InlineData("?x=1&name=two%20words+and%2Bmore", "two words and+more")]
    [InlineData("?x=1", "")]
    public void A_value_of_a_query_is_decoded(string query, string value) => Assert.Equal(value, RawQuery.Text(query, "name").ToString());
}
