using System.Text;
using System.Text.Json;
using Weir.Runtime;

namespace Weir.Tests.Contract;

public sealed class ArgumentReadingTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(8)]
    [InlineData(9)]
    [InlineData(64)]
    public void A_binding_error_names_its_path_at_any_depth(int depth)
    {
        var errors = new BindingErrorList();
        for (var i = 0; i < depth; i++)
        {
            errors.Enter("a");
            errors.Enter(i);
        }

        errors.Add(BindingErrorReason.Invalid, "a number");
        for (var i = 0; i < depth; i++)
        {
            errors.Leave();
            errors.Leave();
        }

        errors.Add(BindingErrorReason.Missing, "something");

        Assert.Equal([string.Join('.', Enumerable.Range(0, depth).Select(static i => $"a[{i}]")), "$"], errors.ToArray().Select(static error => error.Name));
        errors.Clear();
        Assert.Empty(errors.ToArray());
        errors.ThrowIfAny();
    }

    [Fact]
    public void A_repeated_binding_error_is_listed_once_and_counted()
    {
        var errors = new BindingErrorList();
        for (var i = 0; i < 1900; i++)
        {
            errors.Add("x", BindingErrorReason.Duplicate, "one value");
        }

        errors.Add("x", BindingErrorReason.Duplicate, "one other value");
        errors.Add("y", BindingErrorReason.Duplicate, "one value");
        Assert.Equal(["x", "x", "y"], errors.ToArray().Select(static error => error.Name));
        Assert.Equal(1902, errors.Count);
    }

    [Theory]
    [InlineData("The arguments cannot be bound.")]
    [InlineData("The argument cannot be bound: x (query): invalid, expected 1.", "x")]
    [InlineData("The argument cannot be bound, for 3 reasons; first: x[0].a (query): invalid, expected 1.", "x[0].a", "X", "x.b")]
    [InlineData("2 arguments cannot be bound; first: x (query): invalid, expected 1.", "x", "x[1]", "xy")]
    public void A_binding_failure_counts_arguments_and_not_their_errors(string message, params string[] names) =>
        Assert.Equal(message, new BindingException([.. names.Select(static name => new BindingError(name, "query", BindingErrorReason.Invalid, "1"))]).Message);

    private readonly BindingErrorList _errors = new();

    [Theory]
    [InlineData("\"\\ud800\"")]
    [InlineData("\"\\udc00\\ud800\"")]
    public void A_lone_surrogate_is_not_a_valid_value_of_any_scalar(string json)
    {
        Read(json, Scalars.String);
        Read(json, Scalars.Guid);
        Read(json, Scalars.DateOnly);
        Read(json, Scalars.Bytes);
        Read(json, Scalars.Char);
        Assert.Equal(Enumerable.Repeat(BindingErrorReason.Invalid, 5), _errors.ToArray().Select(static error => error.Reason));
    }

    [Fact]
    public void A_member_name_that_is_not_valid_text_is_an_unknown_name()
    {
        _errors.RefuseUnknown = true;
        var reader = new Utf8JsonReader("""{"\ud800":1}"""u8);
        reader.Read();
        Assert.True(JsonValues.NextMember(ref reader));
        Assert.False(JsonValues.NameIs(ref reader, "a"u8));
        JsonValues.SkipUnknownMember(ref reader, _errors);
        Assert.False(JsonValues.NextMember(ref reader));
        Assert.Equal(BindingErrorReason.Unknown, Assert.Single(_errors.ToArray()).Reason);
    }

    [Fact]
    public void Json_that_is_cut_off_in_a_nested_value_does_not_change_the_paths_of_later_binding_errors()
    {
        var reader = new JsonArgumentReader("""{"a":{"b":1},"c":2}"""u8.ToArray(), "body", _errors);
        var seen = 0UL;
        Assert.True(reader.MoveNext());
        Assert.True(reader.Begin(ref seen, 0, "a"));
        reader.ReadJson(static (ref Utf8JsonReader _, BindingErrorList errors) =>
        {
            errors.Enter("b");
            return errors.Count == 0 ? throw new JsonException() : 0;
        });
        reader.End(ref seen, 0, optional: false);
        reader.Missing("d", "text");
        Assert.Equal(["a", "d"], _errors.ToArray().Select(static error => error.Name));
    }

    [Fact]
    public void A_json_reader_can_be_reset_to_another_document()
    {
        var reader = new JsonArgumentReader(default, "body", _errors);
        Assert.False(reader.MoveNext());
        foreach (var (json, names) in ((string, string)[])[("""{"a":1,"b":[2]}""", "ab"), ("{", ""), ("""{"c":{}}""", "c"), ("", "")])
        {
            reader.Reset(Encoding.UTF8.GetBytes(json));
            var found = new StringBuilder();
            while (reader.MoveNext())
            {
                found.Append(reader.Name);
            }

            Assert.Equal(names, found.ToString());
        }

        Assert.Equal(BindingErrorReason.Malformed, Assert.Single(_errors.ToArray()).Reason);
    }

    private void Read<T>(string json, Scalar<T> scalar)
    {
        var reader = new Utf8JsonReader(Encoding.UTF8.GetBytes(json));
        reader.Read();
        JsonValues.Read(ref reader, _errors, scalar);
        Assert.False(reader.Read());
    }
}
