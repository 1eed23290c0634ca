unsigned library_add(unsigned a, unsigned b);
unsigned library_mix(unsigned a, unsigned b);

int main(void)
{
	for (unsigned i = 0; i < 100000000; i++) {
		library_add(i, 1);
		library_mix(i, 7);
	}
	return 0;
}
