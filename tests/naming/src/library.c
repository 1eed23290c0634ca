/* Small functions that are called through the procedure linkage table. */
unsigned library_add(unsigned a, unsigned b);
unsigned library_mix(unsigned a, unsigned b);

unsigned library_add(unsigned a, unsigned b)
{
	return a + b;
}

unsigned library_mix(unsigned a, unsigned b)
{
	return a * 31 ^ b;
}
