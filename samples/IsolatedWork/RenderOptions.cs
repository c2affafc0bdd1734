namespace IsolatedWork;

/// <summary>The section <c>Render</c> of the configuration, which workers inherit.</summary>
public sealed class RenderOptions
{
    public string Footer { get; set; } = "";
}
