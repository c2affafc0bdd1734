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
    public void A_fault_names_the_way_however_deep_it_is(int depth)
    {
        var faults = new FaultList();
        for (var i = 0; i < depth; i++)
        {
            faults.Enter("a");
            faults.Enter(i);
        }

        faults.Add(FaultReason.Invalid, "a number");
        for (var i = 0; i < depth; i++)
        {
            faults.Leave();
            faults.Leave();
        }

        faults.Add(FaultReason.Missing, "something");

        Assert.Equal([string.Join('.', Enumerable.Range(0, depth).Select(static i => $"a[{i}]")), "$"], faults.ToArray().Select(static fault => fault.Name));
        faults.Clear();
        Assert.Empty(faults.ToArray());
        faults.ThrowIfAny();
    }

    [Fact]
    public void A_fault_that_is_found_again_is_listed_once_and_counted()
    {
        var faults = new FaultList();
        for (var i = 0; i < 1900; i++)
        {
            faults.Add("x", FaultReason.Duplicate, "one value");
        }

        faults.Add("x", FaultReason.Duplicate, "one other value");
        faults.Add("y", FaultReason.Duplicate, "one value");
        Assert.Equal(["x", "x", "y"], faults.ToArray().Select(static fault => fault.Name));
        Assert.Equal(1902, faults.Count);
    }

    [Theory]
    [InlineData("The arguments do not bind.")]
    [InlineData("The argument does not bind: x (query): invalid, expected 1.", "x")]
    [InlineData("The argument does not bind, for 3 reasons; first: x[0].a (query): invalid, expected 1.", "x[0].a", "X", "x.b")]
    [InlineData("2 arguments do not bind; first: x (query): invalid, expected 1.", "x", "x[1]", "xy")]
    public void A_binding_failure_counts_arguments_and_not_what_is_wrong_with_them(string message, params string[] names) =>
        Assert.Equal(message, new BindingException([.. names.Select(static name => new Fault(name, "query", FaultReason.Invalid, "1"))]).Message);

    private readonly FaultList _faults = new();

    [Theory]
    [InlineData("\"\\ud800\"")]
    [InlineData("\"\\udc00\\ud800\"")]
    public void A_lone_surrogate_is_no_value_of_any_scalar(string json)
    {
        Read(json, Scalars.String);
        Read(json, Scalars.Guid);
        Read(json, Scalars.DateOnly);
        Read(json, Scalars.Bytes);
        Read(json, Scalars.Char);
        Assert.Equal(Enumerable.Repeat(FaultReason.Invalid, 5), _faults.ToArray().Select(static fault => fault.Reason));
    }

    [Fact]
    public void A_member_name_that_is_no_text_is_a_name_nobody_asked_for()
    {
        _faults.RefuseUnknown = true;
        var reader = new Utf8JsonReader("""{"\ud800":1}"""u8);
        reader.Read();
        Assert.True(JsonValues.NextMember(ref reader));
        Assert.False(JsonValues.NameIs(ref reader, "a"u8));
        JsonValues.SkipUnknownMember(ref reader, _faults);
        Assert.False(JsonValues.NextMember(ref reader));
        Assert.Equal(FaultReason.Unknown, Assert.Single(_faults.ToArray()).Reason);
    }

    [Fact]
    public void Json_that_breaks_off_deep_inside_does_not_mislead_the_faults_after_it()
    {
        var reader = new JsonArgumentReader("""{"a":{"b":1},"c":2}"""u8.ToArray(), "body", _faults);
        var seen = 0UL;
        Assert.True(reader.MoveNext());
        Assert.True(reader.Begin(ref seen, 0, "a"));
        reader.ReadJson(static (ref Utf8JsonReader _, FaultList faults) =>
        {
            faults.Enter("b");
            return faults.Count == 0 ? throw new JsonException() : 0;
        });
        reader.End(ref seen, 0, optional: false);
        reader.Missing("d", "text");
        Assert.Equal(["a", "d"], _faults.ToArray().Select(static fault => fault.Name));
    }

    [Fact]
    public void A_json_reader_starts_over_with_another_document()
    {
        var reader = new JsonArgumentReader(default, "body", _faults);
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

        Assert.Equal(FaultReason.Malformed, Assert.Single(_faults.ToArray()).Reason);
    }

    private void Read<T>(string json, Scalar<T> scalar)
    {
        var reader = new Utf8JsonReader(Encoding.UTF8.GetBytes(json));
        reader.Read();
        JsonValues.Read(ref reader, _faults, scalar);
        Assert.False(reader.Read());
    }
}
