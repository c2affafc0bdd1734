using System.Text;
using Weir.Runtime;

namespace Weir.Generator.Tests.Driving;

/// <summary>One argument and where it stands.</summary>
internal sealed record Argument(string Name, ArgumentForm Form, string Source, byte[] Value)
{
    public static Argument Text(string name, string value) => new(name, ArgumentForm.Text, "query", Encoding.UTF8.GetBytes(value));

    public static Argument Json(string name, string value) => new(name, ArgumentForm.Json, "body", Encoding.UTF8.GetBytes(value));

    public static Argument Raw(string name, byte[] value) => new(name, ArgumentForm.Raw, "body", value);
}

/// <summary>Hands out a list of arguments from several places, as a door does with a query and a body.</summary>
internal sealed class ArgumentListReader(IReadOnlyList<Argument> arguments, BindingErrorList errors) : ArgumentReader(errors)
{
    private int _index = -1;

    public override ReadOnlySpan<char> Name => arguments[_index].Name;

    public override ArgumentForm Form => arguments[_index].Form;

    public override string Source => arguments[_index].Source;

    protected override ReadOnlySpan<char> Text => Encoding.UTF8.GetString(arguments[_index].Value);

    protected override ReadOnlySpan<byte> Json => arguments[_index].Value;

    protected override ReadOnlyMemory<byte> Raw => arguments[_index].Value;

    public override bool MoveNext() => ++_index < arguments.Count;
}
