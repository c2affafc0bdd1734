namespace Weir.LightNode.Tests.Contracts;

/// <summary>One parameter of every shape: required, nullable, with a default.</summary>
[Get, Post]
public abstract class ParameterOperations
{
    public int Struct(int x) => x;

    public string Nullable(int? x) => x is { } value ? $"{value}" : "null";

    public int DefaultValue(int x = 100) => x;

    public string NullableDefaultValue(int? x = 5) => x is { } value ? $"{value}" : "null";

    public string String(string x) => x;

    public string StringNullable(string? x) => x ?? "null";

    public string StringNullDefaultValue(string? x = null) => x ?? "null";

    public string StringDefaultValue(string x = "hogehoge") => x;

    public int Array(int[] x) => x.Sum();

    public int Array2(int[] x, int y) => x.Sum() + y;
}

[Service]
public sealed class ParameterContract : ParameterOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedParameterContract : ParameterOperations;
