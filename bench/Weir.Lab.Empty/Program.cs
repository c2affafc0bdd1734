namespace Weir.Lab.Empty;

/// <summary>The program that does nothing: what starting and ending an environment costs by itself.</summary>
public static class Program
{
    public static void Main()
    {
    }
}
