using System.Text;
using Weir.Jobs.PostgreSql.Rows;

namespace Weir.Jobs.PostgreSql.Tests.Storage;

public sealed class StoredTextTests
{
    private static readonly string[] Parts = ["", "a", "\0", "\u0001", "\u0002", "\uD7FF", "\uD800", "\uDFFF", "\uE000", "\uE001", "\uFFFF", "🌊", "\uD83C", "\uDF0A"];

    private static IEnumerable<string> Texts => from first in Parts from second in Parts from third in Parts select first + second + third;

    [Fact]
    public void Every_text_is_read_as_it_was_written_and_can_be_stored()
    {
        foreach (var text in Texts)
        {
            var stored = StoredText.Write(text);
            Assert.Equal(text, StoredText.Read(stored));
            Assert.DoesNotContain('\0', stored);
            new UTF8Encoding(false, throwOnInvalidBytes: true).GetBytes(stored);
        }
    }

    [Fact]
    public void Stored_texts_have_the_order_of_the_database()
    {
        var stored = Texts.Select(static text => StoredText.Write(text)).Distinct().Order(StringComparer.Ordinal).ToArray();
        var bytes = stored.OrderBy(static text => Convert.ToHexString(Encoding.UTF8.GetBytes(text)), StringComparer.Ordinal);
        Assert.Equal(bytes, stored.Order(Comparer<string>.Create(StoredText.Compare)));
    }
}
